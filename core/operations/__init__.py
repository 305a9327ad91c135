"""Operations of the pipeline, and the declaration of operations."""
