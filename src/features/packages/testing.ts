import { blobsBelow } from "../../../tests/support/blobs.ts"
import type { Hearth } from "../../app.ts"
import type { Services } from "../../core/services.ts"
import { FOLDER } from "./packages/blobs.ts"
import { cleanUpPackages } from "./packages/sweep.ts"

/** Shared by tests of registries. */

interface Sending {
  readonly body?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

export interface Came {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

interface Caller {
  readonly authorization: string
}

/** Sends a request below /api/packages, as it stands: `send(hearth, ann, "PUT ann/generic/tool/1/a", { body: "a" })`. */
export async function send(
  { url }: Pick<Hearth, "url">,
  who: Caller | undefined,
  route: string,
  { body, headers = {} }: Sending = {},
): Promise<Came> {
  const [method = "GET", ...rest] = route.split(" ")
  const answer = await fetch(`${url}/api/packages/${rest.join(" ")}`, {
    method,
    redirect: "manual",
    headers: { ...(who && { authorization: who.authorization }), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : new Uint8Array(body) }),
  })
  return { status: answer.status, headers: answer.headers, text: Buffer.from(await answer.arrayBuffer()).toString("latin1") }
}

/** The names of all stored contents, drafts included. */
export const storedFiles = (services: Parameters<typeof blobsBelow>[0]): Promise<readonly string[]> => blobsBelow(services, FOLDER)

/** The nightly clean-up, as it would be so many days later. */
export const cleanUpAfter = (services: Services, days: number): Promise<string | undefined> =>
  cleanUpPackages.run({ ...services, now: () => services.now() + days * 86_400 }, new AbortController().signal)
