interface Listeners {
  /** The first signal to end: SIGINT, SIGTERM. */
  readonly stop: () => void
  /** Each later one. */
  readonly stopNow: () => void
  /** SIGHUP; left out where it ends the process, as it does when its terminal is closed. */
  readonly hangUp?: (() => void) | undefined
}

/** Gives the function that ends the listening. */
export function onSignals({ stop, stopNow, hangUp }: Listeners): () => void {
  let count = 0
  const listener = (): void => {
    count += 1
    if (count === 1) stop()
    else stopNow()
  }
  const signals = ["SIGINT", "SIGTERM"] as const
  for (const signal of signals) process.on(signal, listener)
  if (hangUp) process.on("SIGHUP", hangUp)
  return () => {
    for (const signal of signals) process.off(signal, listener)
    if (hangUp) process.off("SIGHUP", hangUp)
  }
}
