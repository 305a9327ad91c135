"""Operations on recorded uses of notes and clicks on search hits."""
