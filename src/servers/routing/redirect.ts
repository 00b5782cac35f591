import type { FastifyReply } from "fastify"
import { type Refusal, refuse } from "../../core/errors.ts"
import type { Site } from "../../core/site.ts"
import { isOwnPath } from "../../web/address.ts"

/*
 * Where answers lead. Everything that leads to a place of this site goes through here: a path that begins with two slashes or a backslash is the address of
 * another site to browsers.
 */

/** The value of a Location header, if it is a path or an address of this site; else the front page. */
export function ownLocation({ rootUrl }: Pick<Site, "rootUrl">, location: string): string {
  const path = location.startsWith(`${rootUrl}/`) ? location.slice(rootUrl.length) : location
  return isOwnPath(path) ? location : "/"
}

/** Leads to a path of this site. */
export const leadTo = (reply: FastifyReply, path: string, status: 301 | 302 | 303 | 307 | 308 = 303): FastifyReply =>
  reply.redirect(isOwnPath(path) ? path : "/", status)

/** Sends a client to an address of another site: one that an application or the provider of a sign-in has registered, or one of the object store. */
export const sendAway = (reply: FastifyReply, address: string, status: 302 | 303 = 303): FastifyReply =>
  unnoticed(reply).redirect(address, status)

/** For a redirect to an address that may hold a code: no other site is told of it, and no one keeps it. */
export const unnoticed = (reply: FastifyReply): FastifyReply =>
  reply.header("cache-control", "no-store").header("referrer-policy", "no-referrer")

/**
 * A request's address as everything reads it: a path without doubled slashes, also where a proxy has sent the address whole. Done at the door, so that no
 * two places take the same address for different ones.
 */
export function plainUrl(url: string): string {
  const mark = url.indexOf("?")
  const [head, query] = mark < 0 ? [url, ""] : [url.slice(0, mark), url.slice(mark)]
  const path = head.startsWith("/") ? head : head.replace(/^https?:\/\/[^/]*/i, "") || "/"
  return (path.includes("//") ? path.replace(/\/{2,}/g, "/") : path) + query
}

/**
 * The refusal of an address whose path has a NUL, whatever protocol it is of. No name has it, and PostgreSQL takes it in no text, so that inside of the
 * server nothing need think of it. Bodies and queries are looked at where they are decoded.
 */
export const refusalOfNul = (url: string): Refusal | undefined =>
  url.includes("%00") && url.split("?", 1)[0]?.includes("%00") ? refuse.notFound() : undefined

/** The query of a protocol, in which a NUL stands for what no text here has. */
export const storable = (query: string): string => query.replaceAll("%00", "%EF%BF%BD")
