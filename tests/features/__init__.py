"""Tests of the features, each in the folder of its name."""
