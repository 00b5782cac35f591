import { type Hearth, type HearthOptions, startHearth } from "../../src/app.ts"

/** Stops the clock until the year 9999: a task that becomes due would change rows, and run statements, during a measurement or comparison. */
export async function haltClock({ services }: Hearth): Promise<void> {
  await services.database.write((tx) => tx.updateTable("schedule").set({ next_run_at: 253_402_300_799 }).execute())
}

/** Starts a forge whose scheduled tasks run only when they are asked for. */
export async function startWithoutClock(options: HearthOptions): Promise<Hearth> {
  const hearth = await startHearth(options)
  await haltClock(hearth)
  return hearth
}
