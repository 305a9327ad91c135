"""Find hits for a question, build context for prompts, and find similar notes."""
