/* palette.h: the colours of every picture; tools/palette.py writes it from web/palette.json. */
#ifndef SONDE_DRAW_PALETTE_H
#define SONDE_DRAW_PALETTE_H

#define SONDE__INK "#1f2328"
#define SONDE__SOFT "#444b54"
#define SONDE__GREY "#6b7280"
#define SONDE__GRID "#e5e7eb"
#define SONDE__START "#009e73"
#define SONDE__DESTINATION "#cc79a7"
#define SONDE__PATH "#e69f00"
#define SONDE__BETTER "#0072b2"
#define SONDE__WORSE "#d55e00"
/* of series, one after the other */
#define SONDE__SERIES_COLOURS                                                                      \
    "#3d3d3d", "#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#9aa0a8"

#endif
