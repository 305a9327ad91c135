"""The API: what programs ask over HTTP, in the words of the product."""
