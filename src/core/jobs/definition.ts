import type { Seconds } from "../database/tables/index.ts"
import { Check, Errors, type Static, type TSchema } from "../schema.ts"
import type { Services } from "../services.ts"
import type { JobKind } from "./types.ts"

/** What a job receives besides its payload. */
export interface JobRun<C> {
  readonly context: C
  readonly id: number
  /** 1 for the first attempt. */
  readonly attempt: number
  /** True when a failure now is final. */
  readonly isLast: boolean
  /** Aborted when the time is up, the claim is lost, or the forge closes. What the job does after that may overlap with its next attempt. */
  readonly signal: AbortSignal
}

/** A kind of job and its function. `C` is the context that it is called with. */
export interface JobDefinition<S extends TSchema = TSchema, C = Services> extends JobKind<S> {
  readonly attempts: number
  readonly timeoutSeconds: number
  /** Runs the job with a payload as it was stored. Throws {@link GiveUp} when it can't be read. */
  readonly run: (stored: string, run: JobRun<C>) => Promise<void>
}

interface Declared<S extends TSchema, C> extends JobKind<S> {
  /** How many attempts it has in all; 8 by default, which spreads over some 15 to 25 minutes. */
  readonly attempts?: number
  /** The timeout of one attempt; 600 by default. */
  readonly timeoutSeconds?: number
  /**
   * Does the work. It must be idempotent: it is run again after a success that could not be stored because the process ended. A failure is tried
   * again later, {@link GiveUp} is not, and {@link NotYet} is no failure.
   */
  readonly run: (payload: Static<S>, run: JobRun<C>) => Promise<void>
}

/**
 * Declares a kind of job without its function, where that depends on the code that enqueues such jobs. The definition adds it:
 * `defineJob({ ...kind, run })`.
 */
export const jobKind = <S extends TSchema>(kind: JobKind<S>): JobKind<S> => kind

/** The payload of a job as it is stored. Throws a TypeError when it doesn't fit the schema. */
export function writePayload<S extends TSchema>({ kind, payload: schema }: JobKind<S>, payload: Static<S>): string {
  if (!Check(schema, payload)) throw new TypeError(`not a payload of the job ${kind}: ${faults(schema, payload)}`)
  return JSON.stringify(payload)
}

/** Declares a kind of job. The payload is checked against its schema when it is stored, and again when it is read by a later version. */
export const defineJob = <S extends TSchema, C = Services>({
  kind,
  payload: schema,
  attempts = 8,
  timeoutSeconds = 600,
  run,
}: Declared<S, C>): JobDefinition<S, C> => ({
  kind,
  payload: schema,
  attempts,
  timeoutSeconds,
  async run(stored, context) {
    const payload: unknown = JSON.parse(stored)
    if (!Check(schema, payload)) throw new GiveUp(`this version can't read the payload: ${faults(schema, payload)}`)
    await run(payload, context)
  },
})

/** Thrown by a job that would fail again: it is not retried. */
export class GiveUp extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = "GiveUp"
  }
}

/** Thrown by a job that can't run yet: it is run at `runAt`, and this attempt doesn't count. */
export class NotYet extends Error {
  readonly runAt: Seconds

  constructor(message: string, runAt: Seconds) {
    super(message)
    this.name = "NotYet"
    this.runAt = runAt
  }
}

const faults = (schema: TSchema, value: unknown): string =>
  Errors(schema, value)
    .slice(0, 3)
    .map(({ instancePath, message }) => `${instancePath || "it"} ${message}`)
    .join("; ")
