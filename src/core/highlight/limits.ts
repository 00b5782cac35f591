/** What gets colours: UTF-16 units and lines of a text, units of a line. Everything else stays plain. */
export const HIGHLIGHT_LIMITS = { length: 512 * 1024, lines: 20_000, lineLength: 5_000 } as const

/** Whether a text, given by its lines and as a whole, gets colours. */
export const isWithinLimits = (lines: readonly string[], code: string): boolean =>
  code.length <= HIGHLIGHT_LIMITS.length &&
  lines.length <= HIGHLIGHT_LIMITS.lines &&
  lines.every(({ length }) => length <= HIGHLIGHT_LIMITS.lineLength)
