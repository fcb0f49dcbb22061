"""What an effect rests on: the rows that were seen, who is like whom, and who was treated how."""
