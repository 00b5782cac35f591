import type { FastifyRequest } from "fastify"

/** The values of the request's cookies of that name, as they were sent. */
export function cookiesNamed({ headers }: FastifyRequest, name: string): readonly string[] {
  const start = `${name}=`
  return (headers.cookie ?? "")
    .split(";")
    .map((each) => each.trim())
    .filter((each) => each.startsWith(start))
    .map((each) => each.slice(start.length))
}
