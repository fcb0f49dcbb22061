"""What an effect rests on: the observed rows, who is like whom, and who was treated how."""
