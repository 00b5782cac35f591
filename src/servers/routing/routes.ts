import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { formOf, isRawPath, lastSegment, type Method, requestedForm, restOf } from "../../core/operation.ts"

/**
 * The routes of all declared operations, pages and forms, in one table that is built in a few milliseconds: registered one by one with Fastify they
 * took half of a start. Protocols and what is not declared are routes of Fastify, and come first.
 */

export type DeclaredRequest = FastifyRequest<{ Params: Record<string, string> }>

export interface DeclaredRoute {
  readonly method: Method
  /** As declared, with the names of its parameters in braces: `/repos/{owner}/{repo}`. */
  readonly path: string
  /** The label of metrics and logs. */
  readonly operation: string
  /** Whether the body is collected in memory, left to the handler as a stream, or left only where it is a form with files. */
  readonly body: "collected" | "streamed" | "files-streamed"
  /** Bytes of a collected body, where it is not the usual limit. */
  readonly bodyLimit?: number | undefined
  /** Whether the route takes what a person signs in with beside its own fields, see web/pages/in-place.ts. */
  readonly signsInPlace?: boolean
  /** Whether what is missing leads callers without a session to sign-in, see `Page`. */
  readonly asksToSignIn?: boolean | undefined
  /** Whether pages of other sites may call it, see `Page`. */
  readonly fromAnySite?: boolean | undefined
  /** Decides whether the caller may go on, before a byte of the body is read. */
  readonly admit?: (request: DeclaredRequest, reply: FastifyReply) => Promise<void>
  readonly handle: (request: DeclaredRequest, reply: FastifyReply) => Promise<FastifyReply>
  readonly fail: (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>
}

interface Found<R> {
  readonly route: R
  readonly parameters: Record<string, string>
}

/** What a table finds by method and path. */
type Addressed = Pick<DeclaredRoute, "method" | "path">

export interface RouteTable<R = DeclaredRoute> {
  /** The route of a request, and the values of its path's parameters, decoded. */
  readonly find: (method: string, url: string) => Found<R> | undefined
  /** The methods that some route takes at a path, for the Allow header. */
  readonly methodsAt: (url: string) => readonly string[]
}

/** A place in the tree of paths. */
interface Node<R> {
  /** By the text of a part of the path. */
  readonly texts: Map<string, Node<R>>
  /** Parts that are a parameter with fixed texts around it, as `{username}.png`. */
  readonly around: Around<R>[]
  parameter: Node<R> | undefined
  /** By method, the routes that end here, and those that take the rest of the path. */
  readonly ends: Map<string, Ends<R>>
  readonly rests: Map<string, Ends<R>>
}

interface Around<R> {
  readonly before: string
  readonly after: string
  readonly node: Node<R>
}

/** Routes of one method and path: the usual one, and variants that are asked for by the end of the address. */
interface Ends<R> {
  usual: Named<R> | undefined
  readonly forms: Map<string, Named<R>>
}

interface Named<R> {
  readonly route: R
  readonly names: readonly string[]
}

/** Characters of a parameter; longer names don't exist. The rest of a path may be longer. */
const LONGEST_PARAMETER = 1024

const newNode = <R>(): Node<R> => ({ texts: new Map(), around: [], parameter: undefined, ends: new Map(), rests: new Map() })

/** Throws TypeError where two routes have the same method and path. */
export function routeTable<R extends Addressed>(routes: readonly R[]): RouteTable<R> {
  const root = newNode<R>()
  for (const route of routes) add(root, route)
  return {
    find(method, url) {
      const asked = readPath(url)
      if (asked === undefined) return undefined
      const { parts, form } = asked
      const values: string[] = []
      const named = search(root, parts, 0, method === "HEAD" ? "GET" : method, form, values)
      if (named === undefined) return undefined
      return { route: named.route, parameters: Object.fromEntries(named.names.map((name, index) => [name, values[index] ?? ""])) }
    },
    methodsAt(url) {
      const asked = readPath(url)
      if (asked === undefined) return []
      const { parts, form } = asked
      const has = (method: Method): boolean => search(root, parts, 0, method, form, []) !== undefined
      return METHODS.filter(has).flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
    },
  }
}

const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"]

function add<R extends Addressed>(root: Node<R>, route: R): void {
  const form = formOf(route.path)
  const path = form?.beside ?? route.path
  const rest = restOf(path)
  const names: string[] = []
  let node = root
  const parts = path.split("/").filter((part) => part !== "")
  for (const part of rest === undefined ? parts : parts.slice(0, -1)) {
    const [, before = "", name, after = ""] = /^([^{]*)\{(\w+)\}(.*)$/.exec(part) ?? []
    if (name !== undefined) names.push(name)
    if (name === undefined) node = childOf(node.texts, part)
    else if (before + after !== "") node = childAround(node, before, after)
    else {
      node.parameter ??= newNode()
      node = node.parameter
    }
  }
  if (rest !== undefined) names.push(rest)
  const byMethod = rest === undefined ? node.ends : node.rests
  const ends = byMethod.get(route.method) ?? { usual: undefined, forms: new Map<string, Named<R>>() }
  byMethod.set(route.method, ends)
  if (form ? ends.forms.has(form.name) : ends.usual) throw new TypeError(`two routes are ${route.method} ${route.path}`)
  if (form) ends.forms.set(form.name, { route, names })
  else ends.usual = { route, names }
}

function childOf<R>(nodes: Map<string, Node<R>>, key: string): Node<R> {
  const known = nodes.get(key)
  if (known) return known
  const made = newNode<R>()
  nodes.set(key, made)
  return made
}

function childAround<R>({ around }: Node<R>, before: string, after: string): Node<R> {
  const known = around.find((each) => each.before === before && each.after === after)
  if (known) return known.node
  const node = newNode<R>()
  around.push({ before, after, node })
  return node
}

/** Fixed texts win over parameters with texts around them, those over other parameters, and all of them over the rest of a path. */
function search<R>(
  node: Node<R>,
  parts: readonly string[],
  at: number,
  method: string,
  form: string | undefined,
  values: string[],
): Named<R> | undefined {
  const chosen = (ends: Ends<R> | undefined): Named<R> | undefined =>
    (form === undefined ? undefined : ends?.forms.get(form)) ?? ends?.usual
  const part = parts[at]
  if (part === undefined) return chosen(node.ends.get(method))
  const depth = values.length
  const into = (next: Node<R> | undefined, value?: string): Named<R> | undefined => {
    if (next === undefined) return undefined
    values.length = depth
    if (value !== undefined) values.push(value)
    return search(next, parts, at + 1, method, form, values)
  }
  const text = into(node.texts.get(part))
  if (text) return text
  if (part.length <= LONGEST_PARAMETER) {
    for (const { before, after, node: next } of node.around) {
      const fits = part.length > before.length + after.length && part.startsWith(before) && part.endsWith(after)
      const named = fits ? into(next, part.slice(before.length, part.length - after.length)) : undefined
      if (named) return named
    }
    const parameter = into(node.parameter, part)
    if (parameter) return parameter
  }
  const rest = chosen(node.rests.get(method))
  if (rest === undefined) return undefined
  values.length = depth
  values.push(parts.slice(at).join("/"))
  return rest
}

/** The decoded parts of an address's path without empty ones, and the form that its end asks for; undefined where an escape is broken. */
function readPath(url: string): { readonly parts: readonly string[]; readonly form: string | undefined } | undefined {
  const path = /^[^?#]*/.exec(url)?.[0] ?? ""
  const parts = path.split("/").filter((part) => part !== "")
  const form = requestedForm(path)?.name
  if (!path.includes("%")) return { parts, form }
  try {
    return { parts: parts.map(decodeURIComponent), form }
  } catch {
    return undefined
  }
}

const found = new WeakMap<FastifyRequest, DeclaredRoute>()

/** The declared route of a request, or undefined where it is another one. */
export const declaredRoute = (request: FastifyRequest): DeclaredRoute | undefined => found.get(request)

/** The pattern of a request's route, with the names of its parameters: `{name}` where it is declared, else `:name`. */
export const patternOf = (request: FastifyRequest): string | undefined => found.get(request)?.path ?? request.routeOptions.url

/** Has Fastify ask for the route of everything that is no route of its own. To be called before any hook that looks at a request's route. */
export function serveTable(
  app: FastifyInstance,
  find: (method: string, url: string) => Found<DeclaredRoute> | Promise<Found<DeclaredRoute> | undefined>,
  collect: (request: FastifyRequest, limit: number | undefined) => Promise<Buffer>,
): void {
  app.addHook("onRequest", (request, _reply, done) => {
    if (request.routeOptions.url !== "/*") return done()
    const take = (given: Found<DeclaredRoute> | undefined) => {
      if (given) {
        found.set(request, given.route)
        request.params = given.parameters
      }
      done()
    }
    const given = find(request.method, request.url)
    if (given instanceof Promise) given.then(take, done)
    else take(given)
  })
  app.register(async (declared) => {
    declared.removeAllContentTypeParsers()
    const collected = (request: FastifyRequest) => collect(request, found.get(request)?.bodyLimit)
    declared.addContentTypeParser("*", async (request: FastifyRequest) =>
      found.get(request)?.body === "streamed" ? undefined : collected(request),
    )
    declared.addContentTypeParser("multipart/form-data", async (request: FastifyRequest) =>
      found.get(request)?.body === "collected" ? collected(request) : undefined,
    )
    declared.route<{ Params: Record<string, string> }>({
      method: [...METHODS],
      url: "/*",
      onRequest: async (request, reply) => {
        const route = found.get(request)
        if (route === undefined) return reply.callNotFound()
        await route.admit?.(request, reply)
      },
      handler: (request, reply) => found.get(request)?.handle(request, reply) ?? reply.callNotFound(),
      errorHandler: (error, request, reply) => {
        const route = found.get(request)
        if (route === undefined) throw error
        return route.fail(error, request, reply)
      },
    })
  })
}

/** The values of the parameters of a declared path, the form at its end among them; some are wanted as they were sent. */
export function pathOf(path: string, { params, url }: Pick<DeclaredRequest, "params" | "url">): Readonly<Record<string, string>> {
  const last = /\{(\w+)\}$/.exec(path)?.[1]
  if (last !== undefined && isRawPath(last)) return { ...params, [last]: lastSegment(url) }
  const form = formOf(path)
  const before = form && /\{(\w+)\}$/.exec(form.beside)?.[1]
  const asked = before === undefined ? undefined : requestedForm(params[before] ?? "")
  if (before === undefined || asked === undefined) return params
  return { ...params, [before]: (params[before] ?? "").slice(0, -`.${asked.value}`.length), [asked.name]: asked.value }
}
