import type { Config } from "./config.ts"

/** The public addresses of this forge. */
export interface Site {
  /** Without a slash at its end. With port 0 it is known once the server listens. */
  readonly rootUrl: string
  /** The host name of the root address. */
  readonly host: string
  /** The public port of SSH; undefined where it is not served. */
  readonly sshPort: number | undefined
  /** The domain of the addresses that stand in for hidden ones. */
  readonly noReplyDomain: string
  /** Who signs commits with the site's own key. */
  readonly signer: { readonly name: string; readonly email: string }
}

/** A site whose address is completed once the server has a port. */
export interface OpenSite extends Site {
  readonly listening: (port: number) => void
  readonly listeningSsh: (port: number) => void
}

export function openSite(config: Config): OpenSite {
  let rootUrl = config.rootUrl || `http://localhost:${config.http.port}`
  let sshPort: number | undefined
  const { hostname: host } = new URL(rootUrl)
  return {
    get rootUrl() {
      return rootUrl
    },
    get host() {
      return host
    },
    get sshPort() {
      return sshPort
    },
    get noReplyDomain() {
      return config.users.noReplyDomain || `noreply.${host}`
    },
    get signer() {
      return { name: config.signing.name, email: config.signing.email || `signing@${config.users.noReplyDomain || `noreply.${host}`}` }
    },
    listening: (port) => {
      // Its host stays the same.
      if (config.rootUrl === "") rootUrl = `http://localhost:${port}`
    },
    listeningSsh: (port) => {
      sshPort = config.ssh.publicPort || port
    },
  }
}
