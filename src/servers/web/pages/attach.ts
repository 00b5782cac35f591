import type { IncomingMessage } from "node:http"
import type { FastifyRequest } from "fastify"
import type { Actor } from "../../../core/actor.ts"
import { Refusal, refuse, Unsent } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Page } from "../../../core/page.ts"
import type { Services } from "../../../core/services.ts"
import type { Upload } from "../../../core/upload.ts"
import { markdownFor, openKeeping } from "../../../features/planning/attachments/keep.ts"
import { ATTACH, COMPOSED, FILES } from "../../../web/composer.ts"
import { brokeOff, isMultipart, openParser, unreadable } from "../../client/multipart.ts"

/**
 * Attaching files to a text without scripts: the form of the text is sent whole, with the files, by a button of its composer. The files are stored, their
 * Markdown is added to the text, and the page is shown again with it; what the form is for is not done yet.
 */

const FORM_TYPE = "application/x-www-form-urlencoded"
const MOST_FILES = 20
const LIMITS = { fieldNameSize: 100, fields: 1000, parts: 1100, files: MOST_FILES, headerPairs: 40, headerSize: 16_384 }

/** Why a form is shown again without being done: it was sent to attach files, or files are chosen that were not attached. Undefined for all others. */
export async function filesFirst(services: Services, { page, request, actor, path }: Sent): Promise<Refusal | undefined> {
  if (page.method !== "POST" || page.upload || page.beforeSignIn) return undefined
  const told = isMultipart(request.headers) ? await receive(services, { page, request, actor, path }) : undefined
  if (!Buffer.isBuffer(request.body) || !request.headers["content-type"]?.startsWith(FORM_TYPE) || !request.body.includes(ATTACH))
    return told
  const fields = new URLSearchParams(request.body.toString("utf8"))
  if (fields.has(ATTACH)) return told ?? new Unsent("Nothing is sent yet; choose the files again")
  const chosen = fields.getAll(FILES).filter((name) => name !== "")
  return chosen.length === 0
    ? undefined
    : new Unsent(t`Nothing is sent yet: ${chosen.join(", ")} was chosen, but not attached. Choose it again and press “Attach”`)
}

interface Sent {
  readonly page: Page
  readonly request: FastifyRequest
  readonly actor: Actor
  readonly path: Readonly<Record<string, string>>
}

/**
 * Reads the form: afterwards the request is as if it had been sent without the files, and with their Markdown in the text. A user who may not attach files
 * keeps what they typed.
 */
async function receive(services: Services, { page, request, actor, path }: Sent): Promise<Refusal> {
  const added: string[] = []
  let problem: Refusal | undefined
  const keep = await openKeeping({ services, db: services.database.read, actor, path }).catch((error: unknown) => {
    problem = refusalIn(error)
    return undefined
  })
  const fields = await read(request.raw, page.bytes, async (upload) => {
    if (!keep || problem) return
    try {
      added.push(markdownFor(await keep(upload)))
    } catch (error) {
      problem = refusalIn(error)
    }
  })
  const name = COMPOSED.find((each) => each === fields.get(ATTACH))
  if (name === undefined) throw refuse.unsupportedMediaType()
  const text = fields.get(name) ?? ""
  if (added.length > 0) fields.set(name, `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${added.join("\n")}\n`)
  request.body = Buffer.from(fields.toString())
  request.headers["content-type"] = FORM_TYPE
  if (problem) return problem
  return new Unsent(
    added.length === 0 ? "Nothing is sent yet: choose the files first" : "The files are attached to the text. Nothing is sent yet",
  )
}

function refusalIn(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  throw error
}

/** The fields of a form, and its files, of which one after the other is given to `take`; what that leaves is skipped. */
function read(body: IncomingMessage, bytes: number, take: (upload: Upload) => Promise<void>): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const fields = new URLSearchParams()
    let size = 0
    let isBroken = false
    let taken: Promise<void> = Promise.resolve()
    const parser = openParser(body.headers, { ...LIMITS, fieldSize: bytes })
    const fail = (error: unknown): void => {
      isBroken = true
      body.off("close", onClose)
      if (parser) body.unpipe(parser)
      body.resume()
      reject(error)
    }
    const onClose = (): void => {
      if (!body.complete) fail(brokeOff())
    }
    if (!parser) return fail(unreadable())
    parser.on("field", (name, value, _nameCut, valueCut) => {
      size += name.length + value.length
      if (valueCut || size > bytes) fail(refuse.tooLarge())
      else fields.append(name, value)
    })
    parser.on("file", (name, stream, fileName) => {
      stream.on("error", () => {})
      if (isBroken || name !== FILES || !fileName) return void stream.resume()
      taken = taken
        .then(() => take({ fileName, content: stream }))
        .catch(fail)
        .finally(() => stream.resume())
    })
    for (const limit of ["partsLimit", "fieldsLimit", "filesLimit"] as const) parser.on(limit, () => fail(refuse.tooLarge()))
    parser.on("error", () => fail(unreadable()))
    parser.on("finish", () => {
      body.off("close", onClose)
      void taken.then(() => resolve(fields))
    })
    body.on("close", onClose)
    body.pipe(parser)
  })
}
