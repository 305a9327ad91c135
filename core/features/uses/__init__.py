"""Operations on recorded note uses and clicks on search hits."""
