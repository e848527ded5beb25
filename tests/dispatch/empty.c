/* A library that is no backend. */
int tandem_nothing = 0;
