"""How sure an effect is, and what follows from it: intervals, averages, the best treatment."""
