import { sayable, type Text, Words } from "./language/message.ts"

/**
 * The one catalogue of refusals. Rules throw them, servers turn them into answers; no other code uses a status.
 *
 * A refusal that a person can act on names the field and says what would be accepted.
 */
export const catalogue = {
  badRequest: { status: 400, title: "the request can't be understood" },
  unauthenticated: { status: 401, title: "token is required" },
  badCredentials: { status: 401, title: "invalid username, password or token" },
  forbidden: { status: 403, title: "you may not do this" },
  notFound: { status: 404, title: "not found" },
  methodNotAllowed: { status: 405, title: "this method is not allowed here" },
  timeout: { status: 408, title: "the request took too long to arrive" },
  conflict: { status: 409, title: "this conflicts with what is there" },
  damaged: { status: 409, title: "an object of this repository is missing or can't be read; an administrator finds its name in the log" },
  gone: { status: 410, title: "this is not there any more" },
  preconditionFailed: { status: 412, title: "a condition for this is not met" },
  tooLarge: { status: 413, title: "the request is too large" },
  unsupportedMediaType: { status: 415, title: "this content type is not accepted here" },
  invalid: { status: 422, title: "the input is not valid" },
  archived: { status: 423, title: "repo is archived" },
  tooMany: { status: 429, title: "too many requests; try again in a moment" },
  internal: { status: 500, title: "" },
  busy: { status: 503, title: "the server is busy; try again in a moment" },
  unavailable: { status: 503, title: "the database is not available; try again in a moment" },
  uncertain: { status: 503, title: "the database was lost while this was stored; look whether it is there before you try again" },
  full: { status: 507, title: "the disk of the server is full; nothing was stored" },
} as const satisfies Readonly<Record<string, { status: number; title: string }>>

export type RefusalKind = keyof typeof catalogue

/** A refusal, to be thrown. `field` is the name, as the client wrote it, of the refused input. */
export class Refusal extends Error {
  readonly kind: RefusalKind
  readonly field: string | undefined
  /** The message in the language of who reads it, for pages; `message` is in English. */
  readonly said: Words
  /** Members of the answer's body besides message and url. With these a 404 has a body whatever `api.notFoundBody` says. */
  readonly extra: Readonly<Record<string, unknown>> | undefined
  /** After how many seconds the same request may succeed, where that is known. */
  readonly retryAfter: number | undefined

  constructor(
    kind: RefusalKind,
    message: Text = catalogue[kind].title,
    field?: string,
    extra?: Readonly<Record<string, unknown>>,
    retryAfter?: number,
  ) {
    super(String(message))
    this.name = "Refusal"
    this.said = typeof message === "string" ? sayable(message) : message
    this.kind = kind
    this.field = field
    this.extra = extra
    this.retryAfter = retryAfter
  }

  get status(): number {
    return catalogue[this.kind].status
  }
}

/** Nothing was refused: a form was sent for something else than what it does, such as attaching files to its text, and is shown again. */
export class Unsent extends Refusal {
  constructor(message: Text) {
    super("invalid", message)
  }

  override get status(): number {
    return 200
  }
}

type Refuse = (message?: Text, extra?: Readonly<Record<string, unknown>>) => Refusal

const of =
  (kind: RefusalKind): Refuse =>
  (message, extra) =>
    new Refusal(kind, message ?? catalogue[kind].title, undefined, extra)

/**
 * Makes refusals: `throw refuse.notFound()`, `throw refuse.invalid("name", "must not be empty")`. A literal is a message of the catalogues by itself,
 * one with values is t`there is no user ${name}`: programs are told it in English, pages show it in the language of who reads them.
 */
export const refuse = {
  badRequest: of("badRequest"),
  unauthenticated: of("unauthenticated"),
  badCredentials: of("badCredentials"),
  forbidden: of("forbidden"),
  notFound: of("notFound"),
  methodNotAllowed: of("methodNotAllowed"),
  conflict: of("conflict"),
  gone: of("gone"),
  preconditionFailed: of("preconditionFailed"),
  tooLarge: of("tooLarge"),
  unsupportedMediaType: of("unsupportedMediaType"),
  archived: of("archived"),
  tooMany: of("tooMany"),
  /** `tooMany`, until so many seconds have passed. */
  tooSoon: (message: Text, retryAfter: number): Refusal => new Refusal("tooMany", message, undefined, undefined, retryAfter),
  busy: of("busy"),
  /** The input `field` is refused; the message reads "[field]: reason". */
  invalid: (field: string, reason: Text, extra?: Readonly<Record<string, unknown>>): Refusal => {
    const said = typeof reason === "string" ? sayable(reason) : reason
    return new Refusal("invalid", new Words((language) => `[${field}]: ${said.in(language)}`), field, extra)
  },
} as const

/** Thrown while locating a user or repository that was renamed: the answer redirects to the new name, with the status that existing clients expect. */
export class Renamed extends Error {
  readonly status: 301 | 307
  /** The path parameters to replace in the request's path, with the new names. */
  readonly replace: Readonly<Record<string, string>>

  constructor(status: 301 | 307, replace: Readonly<Record<string, string>>) {
    super("moved")
    this.name = "Renamed"
    this.status = status
    this.replace = replace
  }
}
