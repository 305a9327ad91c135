"""Documents of many kinds, made on the spot, and how well and fast they are converted."""
