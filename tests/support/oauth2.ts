/** People, applications and browsers for tests of the OAuth2 provider. */
import { hash, randomBytes } from "node:crypto"
import type { ConfigOverrides } from "../../src/core/config.ts"
import { type Browser, openBrowser, type Page } from "./browser.ts"
import type { FreshKind } from "./database.ts"
import { basic, freshHearth, PASSWORD } from "./hearth.ts"

export interface Client {
  readonly id: string
  readonly secret: string
  readonly redirect: string
}

export interface Pair {
  readonly verifier: string
  readonly challenge: string
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
  readonly scope: string
}

export interface Told {
  readonly status: number
  readonly headers: Headers
  /** Untyped, for tests. */
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
  readonly body: any
}

type Fields = Readonly<Record<string, string | undefined>>

export const newPair = (): Pair => {
  const verifier = randomBytes(32).toString("base64url")
  return { verifier, challenge: hash("sha256", verifier, "base64url") }
}

const formOf = (fields: Fields): URLSearchParams => {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value)
  return form
}

/** The parsed body of an answer, untyped. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
export const jsonOf = async (answer: Promise<Response>): Promise<any> => (await answer).json()

export const GIT_CREDENTIAL_OAUTH = "a4792ccc-144e-407e-86c9-5e7d8d9c3269"

/** A server with ann, who owns a confidential and a public application, and ben. */
export async function openOAuth2World(kind: FreshKind, config: ConfigOverrides = {}, now?: () => number) {
  const forge = await freshHearth(kind, config, { now })
  const { hearth, call } = forge
  const { url } = hearth
  const ann = await forge.person("ann")
  const ben = await forge.person("ben")

  const application = async (more: object = {}): Promise<Client> => {
    const redirect = "https://board.example.com/cb"
    const options = { name: "Board", redirect_uris: [redirect], confidential_client: true, ...more }
    const { body } = await call(ann, "POST /user/applications/oauth2", options)
    return { id: body.client_id, secret: body.client_secret, redirect: body.redirect_uris[0] }
  }
  const server = await application()
  const installed = await application({ name: "Installed", redirect_uris: ["http://127.0.0.1/done"], confidential_client: false })

  const signedIn = async (name = "ben"): Promise<Browser> => {
    const browser = openBrowser(url)
    const { status } = await browser.signIn(name, PASSWORD)
    if (status !== 303) throw new Error(`${name} is not signed in: ${status}`)
    return browser
  }

  const authorizePath = (client: Client, fields: Fields = {}): string =>
    `/login/oauth/authorize?${formOf({ client_id: client.id, redirect_uri: client.redirect, response_type: "code", state: "st", ...fields })}`

  /** Asks for an authorization, agrees where the page asks, and gives the answer that leads back to the application. */
  const authorize = async (browser: Browser, client: Client, fields: Fields = {}): Promise<Page> => {
    const page = await browser.get(authorizePath(client, fields))
    return page.status === 200 ? browser.submit(page, { granted: "true" }) : page
  }
  const codeOf = ({ location, status, text }: Page): string => {
    const code = location === "" ? null : new URL(location).searchParams.get("code")
    if (code === null) throw new Error(`there is no code: ${status} ${location} ${text}`)
    return code
  }

  const post = async (path: string, fields: Fields, headers: Readonly<Record<string, string>> = {}): Promise<Told> => {
    const answer = await fetch(`${url}/login/oauth/${path}`, { method: "POST", body: formOf(fields), headers })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: text.startsWith("{") ? JSON.parse(text) : text }
  }
  const proof = (client: Client) => ({ client_id: client.id, client_secret: client === installed ? undefined : client.secret })
  const redeem = (client: Client, code: string, fields: Fields = {}): Promise<Told> =>
    post("access_token", { grant_type: "authorization_code", ...proof(client), code, redirect_uri: client.redirect, ...fields })
  const refresh = (client: Client, token: string, fields: Fields = {}): Promise<Told> =>
    post("access_token", { grant_type: "refresh_token", ...proof(client), refresh_token: token, ...fields })
  const introspect = async (client: Client, token: string): Promise<Told> =>
    post("introspect", { token }, { authorization: basic(client.id, client.secret) })

  /** Tokens that ben grants, with PKCE. */
  const tokensFor = async (client: Client, fields: Fields = {}, browser?: Browser): Promise<Tokens> => {
    const pair = newPair()
    const asked = { code_challenge: pair.challenge, code_challenge_method: "S256", ...fields }
    const code = codeOf(await authorize(browser ?? (await signedIn()), client, asked))
    const { status, body } = await redeem(client, code, { code_verifier: pair.verifier })
    if (status !== 200) throw new Error(`there are no tokens: ${status} ${JSON.stringify(body)}`)
    return body
  }
  const user = (token: string) => call(`Bearer ${token}`, "GET /user")
  const worksFor = async (token: string): Promise<string | undefined> => (await user(token)).body?.login

  return {
    ...forge,
    url,
    ann,
    ben,
    server,
    installed,
    application,
    signedIn,
    authorizePath,
    authorize,
    codeOf,
    post,
    redeem,
    refresh,
    introspect,
    tokensFor,
    worksFor,
  }
}
export type OAuth2World = Awaited<ReturnType<typeof openOAuth2World>>
