/** The PostgreSQL servers that a URL names. Of a primary and its standbys one takes writes, and which it is may change. */

export interface Places {
  readonly count: number
  /** The URL of the server that new connections go to. */
  current(): string
  /** Lets new connections go to the next server, if they still go to this one. */
  leave(url: string): void
}

/** From `postgres://user@one:5432,two:5433/name` the URLs of both; a URL with one server, or that can't be read, is its own. */
export function placesOf(url: string): Places {
  const [, scheme = "", hosts = "", rest = ""] = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/s.exec(url) ?? []
  const urls = hosts.includes(",") ? hosts.split(",").map((host) => `${scheme}${host}${rest}`) : [url]
  let place = 0
  const current = (): string => urls[place] ?? url
  return {
    count: urls.length,
    current,
    leave(from) {
      if (from === current()) place = (place + 1) % urls.length
    },
  }
}

/** The servers' addresses, without the password that may be in the URL. */
export function addressesOf(url: string): string {
  const [, hosts = "", name = ""] = /^postgres(?:ql)?:\/\/(?:[^@/]*@)?([^/?]*)([^?]*)/.exec(url) ?? []
  return `${hosts}${name}` || "(an address that can't be read)"
}
