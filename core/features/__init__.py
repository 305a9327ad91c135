"""Features on top of the pipeline; each is one folder."""
