"""The door for assistants: the verbs of the workspace as tools of the Model Context Protocol."""
