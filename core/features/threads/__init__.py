"""Threads, which are series of questions and answers. Each question follows up on the last."""
