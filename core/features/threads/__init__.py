"""Threads: series of questions and answers. Each question follows up on the previous one."""
