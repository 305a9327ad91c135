"""What operations on the stages of the pipeline return where a noun has other fields than are shown."""
