/* clock.h: elapsed time. */
#ifndef SONDE_BASE_CLOCK_H
#define SONDE_BASE_CLOCK_H

/* Seconds since some fixed moment; never runs backwards. */
double sonde__seconds(void);

#endif
