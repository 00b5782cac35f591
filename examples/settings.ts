import { type Client, createClient } from "hearth/client"

/** Where a bot works. */
export interface Place {
  readonly client: Client
  readonly owner: string
  readonly repo: string
}

/** From HEARTH_URL, HEARTH_TOKEN and the argument OWNER/REPOSITORY; ends the process where one is missing. */
export function placeOfProcess(): Place {
  const { HEARTH_URL: url = "", HEARTH_TOKEN: token } = process.env
  const [owner = "", repo = ""] = (process.argv[2] ?? "").split("/")
  if (url === "" || token === undefined || repo === "") {
    console.error("usage: HEARTH_URL=https://git.example.com HEARTH_TOKEN=… node BOT.ts OWNER/REPOSITORY")
    process.exit(2)
  }
  return { client: createClient({ url, token }), owner, repo }
}
