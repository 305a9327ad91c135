"""Operations on a workspace that another process has open."""
