"""Output of operations on the stages of the pipeline for people, a module for each noun."""
