"""Operations of the pipeline stages, and the declaration of operations."""
