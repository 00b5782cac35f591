/** One finding of the doctor. */
export interface Finding {
  readonly level: "ok" | "warning" | "failure"
  readonly text: string
  /** What to do about it; where there is a repair, what that does. */
  readonly advice?: string
  /** Repairs it without a risk to stored data, and says what was done. */
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
