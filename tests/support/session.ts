import { PASSWORD } from "./hearth.ts"

/** For tests: signs in as the sign-in page's form does, and gives the Cookie header of the new session. */
export async function sessionOf(
  url: string,
  login: string,
  password = PASSWORD,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const body = new URLSearchParams({ login, password })
  const answer = await fetch(`${url}/user/login`, { method: "POST", redirect: "manual", body, headers })
  const [cookie = ""] = answer.headers.getSetCookie().map((text) => text.split(";", 1)[0] ?? "")
  if (cookie === "") throw new Error(`${login} could not sign in: ${answer.status}`)
  return cookie
}
