import { setTimeout as pause } from "node:timers/promises"

const LEAST_MS = 400

/** Waits for the work, and always for the same minimal time, so that the time of an answer doesn't reveal whether there was work to do. */
export async function inConstantTime(work: Promise<void>): Promise<void> {
  await Promise.all([work, pause(LEAST_MS)])
}
