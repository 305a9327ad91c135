"""Operations on the recorded uses of notes and clicks on hits."""
