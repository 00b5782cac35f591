import type { Actor, User } from "./actor.ts"

/** Where a request came from and how it was signed in, for those who keep a record of what was done. */
export interface Origin {
  readonly ip: string
  /** `session`, `password`, `token`, `application`, `job`, `publicKey` or `deployKey`. */
  readonly credential: string
  /** The administrator who acts in the user's name; "" for none. */
  readonly behind: string
}

const origins = new WeakMap<object, Origin>()

/** The caller of one request: its user is an object of its own, by which the events that this request publishes know where it came from. */
export function actorFrom(actor: Actor, ip: string, behind: User | undefined): Actor {
  if (actor.kind === "anonymous") return actor
  const user = { ...actor.user }
  origins.set(user, { ip, credential: wordFor(actor), behind: behind?.name ?? "" })
  return { ...actor, user }
}

function wordFor({ credential, basic }: Extract<Actor, { kind: "user" }>): string {
  if (credential.kind === "password") return basic ? "password" : "session"
  return credential.kind === "token" && credential.applicationId !== undefined ? "application" : credential.kind
}

/** Where the request of this user came from; undefined for what a job or the service itself does. */
export const originOf = (user: object): Origin | undefined => origins.get(user)
