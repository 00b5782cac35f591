import { checkBody } from "../bounds.ts"
import { check, memberOf } from "../check.ts"
import { Refusal, Renamed, refuse } from "../errors.ts"
import { type Text, t } from "../language/message.ts"
import { onFirstUse } from "../memoize.ts"
import { isRawPath, type Operation, type PathOf, type Request, restOf } from "../operation.ts"
import { type Draft, type Moved, moved, type Page, type PageAnswer, type PageInput, type Reader, type Undo } from "../page.ts"
import Type, { type TObject, type TSchema } from "../schema.ts"
import { escapePath } from "../text/escape-path.ts"
import { unixLines } from "../text/lines.ts"
import { type Upload, type UploadForm, uploadFormOf } from "../upload.ts"
import { readFields } from "./fields.ts"
import { merge, SHOWN_FIELD } from "./guards.ts"

/**
 * Forms of pages, declared by the operation that they call: access, checks, rules, refusals and the audit log are those of the operation, so that
 * nothing can be done by a page that can't be done by the API, and nothing is decided twice. A form says which members of the operation's body
 * it has fields for; no other can be sent by it.
 */

/** What was typed into the fields of a form; a field that was not sent is missing. */
export type Typed = Readonly<Record<string, readonly string[]>>

interface Done<Address extends string> {
  readonly path: { readonly [Name in PathOf<Address>]: string } & Readonly<Record<string, string>>
  /** The first value of a field; empty where it was not sent. */
  readonly field: (name: string) => string
  /** The body of the operation's answer, and its headers. */
  readonly record: unknown
  readonly headers: Readonly<Record<string, string>>
  readonly reader: Reader
}

interface Undone extends Done<string> {
  /** What `reads` gave before it was done. */
  readonly before: unknown
  readonly services: Request["services"]
}

type Body = Readonly<Record<string, unknown>>

/** The values of a path. */
type Values = Readonly<Record<string, string>>

interface Declared<Address extends string> {
  readonly id: string
  readonly address: `POST ${Address}`
  readonly does: Operation
  /** The page that the form stands on. It is shown again, with what was typed, when the operation refuses; and after it was done, unless `to` says otherwise. */
  readonly on: Page
  /**
   * The members of the operation's body that the form has fields for, named alike; `internal_tracker.enable_time_tracker` is a member of a member.
   * A box that is not ticked is false. The fields of a member that has texts under names of any kind have that member's name before theirs: `inputs.level`.
   */
  readonly takes?: readonly string[]
  /** Members that are the same whatever was typed. */
  readonly always?: Readonly<Record<string, unknown>>
  /** Further fields, which are no members of the body: `body`, `query` and `to` use them. */
  readonly also?: readonly string[]
  /**
   * The form sends a picture or another small file: this member gets its bytes, in base64, and the field of this name what the file is called. Other
   * fields stand before it.
   */
  readonly picture?: string
  /** The form sends files, at most `most`, in the field of this name: `body` reads them. Other fields stand before it. */
  readonly files?: { readonly field: string; readonly most: number }
  /** Changes the body that was made of `takes` and `always`. */
  readonly body?: (
    body: Readonly<Record<string, unknown>>,
    typed: Typed,
    sent: { readonly request: Request; readonly upload: Upload | undefined },
  ) => Body | Promise<Body>
  /** The query of the operation. */
  readonly query?: (typed: Typed) => Readonly<Record<string, string>>
  /** The values of the operation's path, where they are not those of the form's path, such as the number of what the address names. */
  readonly path?: (path: Values, request: Request) => Values | Promise<Values>
  /**
   * The same where it depends on what was typed, such as the name of someone who is added, or on who sends it. Who may see the page `on` may send the form; then the
   * operation decides about what was named, and a name that it does not find is a problem of the form.
   */
  readonly picks?: (path: Values, field: (name: string) => string, request: Request) => Values | Promise<Values>
  /** With `picks`: another operation that takes what `body` made, where what was typed asks for it. */
  readonly instead?: (field: (name: string) => string, request: Request) => Operation | undefined
  /** The field, and the reason, that stand for what the operation does not find: a name in its body. */
  readonly missing?: readonly [field: string, reason: Text]
  /** The name that has to be typed into the field `confirm`, for what can't be undone. */
  readonly confirms?: (path: Readonly<Record<string, string>>) => string
  /** Has a say before anything is done, such as asking for the password again. */
  readonly before?: (call: {
    readonly services: Parameters<Page["open"]>[0]["services"]
    readonly reader: Reader
  }) => Promise<Moved | undefined>
  /** The operation that reads what is changed, with the same values in its path. */
  readonly reads?: Pick<Operation, "open">
  /** With `reads`: texts that two people can change at once, as fields of the same names in its record. See guards.ts. */
  readonly guards?: readonly string[]
  /** Clears away what only this form needed, once it was done. */
  readonly after?: (typed: Typed, request: Request) => Promise<void>
  /** What the person is told afterwards, where that depends on the answer by its record and its headers. */
  readonly done?: Text | ((record: unknown, headers: Done<string>["headers"]) => Text)
  /** Beside `done`, the form that takes it back: this one, unless `by` names another, with these fields. Nothing where there is nothing to take back. */
  readonly undo?: {
    readonly by?: Pick<Page, "id">
    readonly path?: (path: Values) => Values
    readonly fields: (undone: Undone) => Undo["fields"] | undefined
  }
  /** Where they go then. */
  readonly to?: (done: Done<Address>) => string
  /** Answers in another way than by going on: for what is shown once. */
  readonly shows?: (done: Done<Address>) => PageAnswer | Promise<PageAnswer>
  /** The most bytes that the form may hold, 1 MiB unless said otherwise; of a picture 4 MiB. */
  readonly bytes?: number
  /** Sent twice by accident, it is done once. */
  readonly once?: boolean
}

const MIB = 1024 * 1024
const LIST = Type.Array(Type.String())
const FIRST = { number: 1, limit: 20, offset: 0 } as const

/** Declares a form. Throws TypeError for fields that the operation does not take. */
export function form<Address extends string>(declared: Declared<Address>): Page {
  const { does, on } = declared
  const [, address = ""] = /^POST (\/.*)$/.exec(declared.address) ?? []
  const takes = declared.takes ?? []
  const upload = uploadOf(declared)
  const records = takes.filter((name) => isRecord(memberAt(does, name)))
  const single = takes.filter((name) => !records.includes(name))
  const members = Type.Object(Object.fromEntries(single.map((name) => [name, Type.Optional(memberAt(does, name))])))
  const { reads, guards = [], undo } = declared
  const names = [
    ...single,
    ...(declared.also ?? []),
    ...(declared.confirms ? ["confirm"] : []),
    ...(guards.length > 0 ? [SHOWN_FIELD] : []),
  ]
  if (guards.length > 0 && !reads) throw new TypeError(`${declared.id} guards what it can't read`)
  return {
    id: declared.id,
    method: "POST",
    address,
    rule: declared.picks ? on.rule : does.rule,
    query: Type.Object(Object.fromEntries(names.map((name) => [name, Type.Optional(LIST)])), {
      ...(records.length > 0 && { patternProperties: Object.fromEntries(records.map((name) => [`^${name}\\.`, LIST])) }),
    }),
    rows: FIRST.limit,
    changesWithTime: false,
    mayBeOld: false,
    withoutFactor: false,
    does,
    bytes: declared.bytes ?? MIB,
    once: declared.once ?? false,
    guards,
    ...(undo && { undoneBy: [undo.by?.id ?? declared.id] }),
    ...(upload && { upload }),
    open: async (request) => {
      const { picks } = declared
      if (picks) await on.open(request)
      const given = picks ? undefined : await pathFor(declared, request)
      const begun = given && (await does.open({ ...request, path: given }))
      return async (input) => {
        const { reader } = input
        let typed = typedIn(input, upload?.field, names)
        let theirs: readonly string[] = []
        const field = (name: string): string => typed[name]?.[0] ?? ""
        const asked = input.unsent ? undefined : await declared.before?.({ services: request.services, reader })
        if (asked) return asked
        try {
          if (input.unsent) throw input.unsent
          const wanted = declared.confirms?.(request.path)
          if (wanted !== undefined && field("confirm").trim() !== wanted) throw refuse.invalid("confirm", t`must be ${wanted}`)
          const chosenPath = onFirstUse(
            async () => given ?? (await picks?.(request.path, field, request)) ?? (await pathFor(declared, request)),
          )
          const before = reads && (await read(reads, { ...request, path: await chosenPath() }, reader))
          if (guards.length > 0) {
            const merged = merge(typed, guards, before)
            typed = merged.typed
            theirs = merged.theirs
            if (theirs.length > 0) throw refuse.conflict(CHANGED)
          }
          const body = await bodyOf(declared, { members, records }, typed, { request, upload: input.upload })
          const chosen = declared.instead?.(field, request) ?? does
          if (chosen.body && !uploadFormOf(chosen.body)) checkBody(chosen.body, body, request.services.config.limits)
          const query = readFields(does.query, new URLSearchParams(declared.query?.(typed)))
          check(does.query, query)
          const opened = begun ?? (await chosen.open({ ...request, path: await chosenPath() }))
          const sent = await opened.run({ query, body, page: FIRST, request: { id: reader.requestId, ip: reader.ip } })
          await declared.after?.(typed, request)
          // The router matched the same address.
          const done = { path: request.path, field, record: sent.body, headers: sent.headers ?? {}, reader } as Done<Address>
          if (declared.shows) return await declared.shows(done)
          const to = declared.to?.(done) ?? addressOf(on, request.path)
          if (declared.done === undefined) return moved(to)
          const fields = undo?.fields({ ...done, before, services: request.services })
          const back = { form: undo?.by?.id ?? declared.id, path: undo?.path?.(request.path) ?? request.path }
          const flash = typeof declared.done === "function" ? declared.done(sent.body, done.headers) : declared.done
          return moved(to, { flash, ...(fields && { undo: { ...back, fields } }) })
        } catch (thrown) {
          const error = asProblem(thrown, declared)
          if (!(error instanceof Refusal) || !isForTheForm(error, declared.picks !== undefined)) throw error
          return again(on, request, input, { form: declared.id, path: request.path, refusal: error, typed, theirs })
        }
      }
    },
  }
}

/** A form without the page that it stands on: what its view needs. The page imports the view, and then takes the form `on` itself. */
export interface Sketch extends Pick<Page, "id" | "address" | "guards"> {
  readonly on: (page: Page) => Page
}

export function sketch<Address extends string>(declared: Omit<Declared<Address>, "on">): Sketch {
  const { id, guards = [] } = declared
  return { id, address: declared.address.replace(/^POST /, ""), guards, on: (page) => form({ ...declared, on: page }) }
}

const CHANGED = t(
  "this was changed by someone else while you were editing. Nothing is saved yet: the current value is shown beside yours, and saving again replaces it",
)

/** What the operation's path has the values of. */
const pathFor = async ({ path }: Pick<Declared<string>, "path">, request: Request): Promise<Values> =>
  (await path?.(request.path, request)) ?? request.path

/** What an operation answers now. */
async function read(reads: Pick<Operation, "open">, request: Request, { requestId, ip }: Reader): Promise<unknown> {
  const opened = await reads.open(request)
  return (await opened.run({ query: {}, body: undefined, page: FIRST, request: { id: requestId, ip } })).body
}

/** What was typed names nothing, or something that has another name by now: that is a problem of the form, and leads nowhere. */
function asProblem(thrown: unknown, { picks, missing }: Pick<Declared<string>, "picks" | "missing">): unknown {
  if (picks && thrown instanceof Renamed)
    return refuse.invalid(missing?.[0] ?? "name", t`is ${Object.values(thrown.replace).join("/")} by now`)
  return missing && thrown instanceof Refusal && thrown.kind === "notFound" ? refuse.invalid(...missing) : thrown
}

/** Refusals that what was typed can mend, or that the page explains better than an error page. */
const isForTheForm = ({ status, kind }: Refusal, hasNamed: boolean): boolean =>
  status < 500 && kind !== "unauthenticated" && (hasNamed || kind !== "notFound")

/** What was typed; beside a file, the fields came with it. */
function typedIn({ query, upload }: PageInput, file: string | undefined, names: readonly string[]): Typed {
  // The server has read the fields by the declared schema: lists of texts.
  if (file === undefined || !upload) return query as Typed
  const beside = Object.entries(upload.fields ?? {}).filter(([name]) => names.includes(name))
  return { ...Object.fromEntries(beside), [file]: [upload.fileName] }
}

async function again(on: Page, request: Parameters<Page["open"]>[0], { reader }: PageInput, draft: Draft): Promise<PageAnswer> {
  const answer = await on.open(request)
  const url = addressOf(on, request.path)
  const shown = await answer({ query: {}, page: { ...FIRST, limit: on.rows }, reader: { ...reader, url }, draft })
  return shown.kind === "shown" ? { ...shown, status: draft.refusal.status, isPrivate: true } : shown
}

/** How the form sends files. */
const uploadOf = ({ does, picture, files }: Pick<Declared<string>, "does" | "picture" | "files">): UploadForm | undefined =>
  files ? { ...files, plain: false } : picture === undefined ? uploadFormOf(does.body) : { field: picture, plain: false }

async function bodyOf(
  { always = {}, body, picture, files, bytes }: Pick<Declared<string>, "always" | "body" | "picture" | "files" | "bytes">,
  { members, records }: { readonly members: TObject; readonly records: readonly string[] },
  typed: Typed,
  sent: { readonly request: Request; readonly upload: Upload | undefined },
): Promise<unknown> {
  const { upload } = sent
  if (upload && picture === undefined && !files) return upload
  const texts = new URLSearchParams()
  for (const [name, values] of Object.entries(typed)) for (const value of values) texts.append(name, unixLines(value))
  const read = readFields(members, texts)
  const made: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(members.properties)) {
    const value = read[name] ?? absent(schema)
    if (value !== undefined) put(made, name.split("."), value)
  }
  for (const name of records) made[name] = textsBelow(name, typed)
  const pictured = upload && picture !== undefined && { [picture]: (await bytesOf(upload, picture, bytes)).toString("base64") }
  const whole = { ...made, ...pictured, ...always }
  return (await body?.(whole, typed, sent)) ?? whole
}

/** A member that has texts under names of any kind. */
const isRecord = (schema: TSchema): boolean => memberOf(schema, "patternProperties") !== undefined

const textsBelow = (member: string, typed: Typed): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(typed).flatMap(([name, [text]]) =>
      name.startsWith(`${member}.`) && text !== undefined ? [[name.slice(member.length + 1), unixLines(text)]] : [],
    ),
  )

/** The most bytes of a picture; what is larger the operations refuse anyway. */
const LARGEST_PICTURE = 4 * MIB

async function bytesOf({ content }: Upload, field: string, most = LARGEST_PICTURE): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of content) {
    size += part.length
    if (size > most) throw refuse.invalid(field, t`must have no more than ${Math.floor(most / MIB)} MiB`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** What a field that was not sent stands for: no tick, or nothing chosen. */
const absent = (schema: TSchema): unknown => {
  const type = memberOf(schema, "type")
  return type === "boolean" ? false : type === "array" ? [] : undefined
}

function put(into: Record<string, unknown>, [name = "", ...inside]: readonly string[], value: unknown): void {
  if (inside.length === 0) into[name] = value
  else {
    const before = into[name]
    const member: Record<string, unknown> = typeof before === "object" && before !== null ? { ...before } : {}
    put(member, inside, value)
    into[name] = member
  }
}

function memberAt({ id, body }: Operation, name: string): TSchema {
  let at: unknown = body
  for (const part of name.split(".")) at = memberOf(memberOf(at, "properties"), part)
  if (typeof at !== "object" || at === null) throw new TypeError(`${id} takes no ${name}`)
  return at
}

/** The address of a page, with the values of its path. */
export function addressOf({ address }: Pick<Page, "address">, path: Readonly<Record<string, string>>): string {
  const rest = restOf(address)
  return address.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name] ?? ""
    if (isRawPath(name)) return value
    return name === rest ? escapePath(value) : encodeURIComponent(value)
  })
}
