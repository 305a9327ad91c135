"""Operations for each pipeline stage, and the machinery for declaring them."""
