import type { Seconds } from "../database/tables.ts"
import { Check, Errors, type Static, type TSchema } from "../schema.ts"
import type { Services } from "../services.ts"
import type { JobKind } from "./types.ts"

/** What a job is given beside its payload. */
export interface JobRun<C> {
  readonly context: C
  readonly id: number
  /** 1 at the first try. */
  readonly attempt: number
  /** True when a failure now is final. */
  readonly isLast: boolean
  /** Aborted when the time is up, the claim is lost, or the forge closes. What the job does after that may run beside its own second try. */
  readonly signal: AbortSignal
}

/** A kind of job with what it does. `C` is what it runs in. */
export interface JobDefinition<S extends TSchema = TSchema, C = Services> extends JobKind<S> {
  readonly attempts: number
  readonly timeoutSeconds: number
  /** Runs the job with a payload as it was stored. Throws {@link GiveUp} when it can't be read. */
  readonly run: (stored: string, run: JobRun<C>) => Promise<void>
}

interface Declared<S extends TSchema, C> extends JobKind<S> {
  /** How often it is tried in all; 8 by default, which spreads over some 15 to 25 minutes. */
  readonly attempts?: number
  /** How long one try may take; 600 by default. */
  readonly timeoutSeconds?: number
  /**
   * Does the work. It may be run again after it has succeeded, when the process ends before that is written down, so that a second run must do
   * no harm. A failure is tried again later, {@link GiveUp} is not, and {@link NotYet} is no failure.
   */
  readonly run: (payload: Static<S>, run: JobRun<C>) => Promise<void>
}

/**
 * Declares what is stored for a kind of job, where what it does can't stand beside it: because that builds on the very code that enqueues such
 * jobs. The definition is made of it, `defineJob({ ...kind, run })`.
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

/** Thrown by a job for which trying again is of no use: it fails at once. */
export class GiveUp extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = "GiveUp"
  }
}

/** Thrown by a job whose time hasn't come: it is done at `runAt`, and this try doesn't count. */
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
