"""Operations of the pipeline, and how any operation is declared."""
