/** One thing that the doctor saw. */
export interface Finding {
  readonly level: "ok" | "warning" | "failure"
  readonly text: string
  /** What to do about it; where a repair is offered, what it will do. */
  readonly advice?: string
  /** Puts it right without a risk to what people stored, and says what was done. */
  readonly repair?: () => Promise<string>
}

export const ok = (text: string): Finding => ({ level: "ok", text })
export const warning = (text: string, advice: string, repair?: Finding["repair"]): Finding => ({
  level: "warning",
  text,
  advice,
  ...(repair && { repair }),
})
export const failure = (text: string, advice: string, repair?: Finding["repair"]): Finding => ({
  level: "failure",
  text,
  advice,
  ...(repair && { repair }),
})
