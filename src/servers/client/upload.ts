import type { IncomingMessage } from "node:http"
import { PassThrough, Readable } from "node:stream"
import type { BusboyFileStream } from "@fastify/busboy"
import { Refusal, refuse } from "../../core/errors.ts"
import { t } from "../../core/language/message.ts"
import type { Upload, UploadForm } from "../../core/upload.ts"
import { brokeOff, isMultipart, openParser, unreadable } from "../client/multipart.ts"

/** The other parts beside the file are small. */
const LIMITS = { fieldNameSize: 100, fieldSize: 65_536, fields: 20, parts: 40, headerPairs: 40, headerSize: 16_384 }

/** A file that is being received. */
export interface Receiving {
  readonly upload: Upload
  /** Discards the rest of the request, so that the connection can serve the next one. Call it when the handler is done. */
  readonly end: () => void
}

/**
 * Waits for the file in the part `field` of a multipart request; the handler reads its bytes. With `plain` a body of any other content type is the
 * file itself.
 * Refuses `invalid` another content type otherwise, and `badRequest` a body that can't be parsed or has no such file.
 */
export function receiveUpload(request: IncomingMessage, { field, plain, most = 1 }: UploadForm): Promise<Receiving> {
  if (!isMultipart(request.headers))
    return plain ? Promise.resolve(receivePlain(request)) : Promise.reject(refuse.invalid("Content-Type", "must be multipart/form-data"))
  return new Promise((resolve, reject) => {
    let content: BusboyFileStream | undefined
    let files = 0
    const before: [string, string][] = []
    const others = openOthers()
    const fail = (refusal: Refusal): void => {
      end()
      content?.destroy(refusal)
      others.end(refusal)
      reject(refusal)
    }
    const parser = openParser(request.headers, { ...LIMITS, parts: LIMITS.parts + most })
    if (!parser) {
      request.resume()
      return reject(unreadable())
    }

    function end(): void {
      request.off("close", onClose)
      request.unpipe(parser)
      request.resume()
    }
    const onClose = (): void => {
      if (!request.complete) fail(brokeOff())
    }

    parser.on("field", (name, value) => {
      if (typeof value === "string" && !content) before.push([name, value])
    })
    parser.on("file", (name, stream, fileName) => {
      // An aborted stream emits an error to its reader; while there is no reader, that must not end the process.
      stream.on("error", () => {})
      if (name !== field || files >= most) return void stream.resume()
      files += 1
      const upload = { fileName: fileName ?? "", content: Readable.from(understood(stream), { objectMode: false }) }
      const isFirst = content === undefined
      content = stream
      if (!isFirst) return others.add(upload)
      resolve({
        upload: { ...upload, fields: fieldsOf(before), ...(most > 1 && { others: others.all() }) },
        end() {
          end()
          content?.destroy()
        },
      })
    })
    parser.on("error", () => fail(unreadable()))
    parser.on("finish", () => {
      if (!content) fail(refuse.badRequest(t`[${field}]: is required; send the file in a part of this name`))
      others.end()
    })
    request.on("close", onClose)
    request.pipe(parser)
  })
}

interface Others {
  readonly add: (upload: Upload) => void
  /** No more come; with a refusal, the reader gets it. */
  readonly end: (refusal?: Refusal) => void
  readonly all: () => AsyncGenerator<Upload>
}

/** The files behind the first, as they come. */
function openOthers(): Others {
  const waiting: Upload[] = []
  let failed: Refusal | undefined
  let isEnded = false
  let wake = (): void => {}
  return {
    add: (upload) => {
      waiting.push(upload)
      wake()
    },
    end: (refusal) => {
      failed ??= refusal
      isEnded = true
      wake()
    },
    async *all() {
      for (;;) {
        const next = waiting.shift()
        if (next) yield next
        else if (failed) throw failed
        else if (isEnded) return
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    },
  }
}

const fieldsOf = (pairs: readonly (readonly [string, string])[]): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries([...Map.groupBy(pairs, ([name]) => name)].map(([name, all]) => [name, all.map(([, value]) => value)]))

/** The body as it is. */
function receivePlain(request: IncomingMessage): Receiving {
  const content = new PassThrough()
  // An aborted stream emits an error to its reader; while there is no reader, that must not end the process.
  content.on("error", () => {})
  const onClose = (): void => {
    if (!request.complete) content.destroy(brokeOff())
  }
  request.on("close", onClose)
  request.pipe(content)
  return {
    upload: { fileName: "", content },
    end() {
      request.off("close", onClose)
      request.unpipe(content)
      request.resume()
      content.destroy()
    },
  }
}

/** The bytes of a file; a premature end is the client's fault. */
async function* understood(stream: BusboyFileStream): AsyncGenerator<Buffer> {
  try {
    yield* stream
  } catch (error) {
    throw error instanceof Refusal ? error : unreadable()
  }
}
