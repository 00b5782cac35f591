import Type, { type TSchema } from "./schema.ts"

/** An answer that is sent piece by piece as its pieces come, until they end, the reader is gone or the server stops. */
export interface Streamed {
  /** Its media type. */
  readonly type: string
  /** Begins it; what is refused here is refused with its status. `signal` fires when the reader is gone or the server stops. */
  readonly begin: (signal: AbortSignal) => Promise<Begun>
}

export interface Begun {
  readonly headers?: Readonly<Record<string, string>>
  /** Made no faster than the reader takes them. */
  readonly pieces: AsyncIterable<string | Uint8Array>
}

/** The schema of an answer that is a stream of these records, each a line of JSON. */
export const recordStream = (record: TSchema) => Type.Unsafe<Streamed>({ ...record, isStream: true })

/** The body of an answer if its operation declares a stream; the compiler has checked what the handler returns. */
export function streamIn(schema: TSchema | null | undefined, body: unknown): Streamed | undefined {
  if (!schema || !("isStream" in schema)) return undefined
  if (typeof body === "object" && body !== null && "begin" in body && typeof body.begin === "function") return body as Streamed
  throw new TypeError("the operation declares a stream and gives something else")
}
