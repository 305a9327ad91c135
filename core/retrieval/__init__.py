"""From a question to hits and to the context of a prompt; notes that are similar to each other."""
