import { randomUUID } from "node:crypto"
import { requireAccount, signedIn } from "../../../access/policies/site.ts"
import { fileHeadersOf } from "../../../core/disposition.ts"
import { refuse } from "../../../core/errors.ts"
import { type File, file } from "../../../core/file.ts"
import { SETTINGS_PATH } from "./frame.ts"

export const EXPORT = `${SETTINGS_PATH}/export` as const

/** Accounts whose archive is being made by this process: each takes long, and room for temporary files. */
const underWay = new Set<number>()
const MOST = 4

/** The archive of one's own account. One at a time. */
export const exportFiles: readonly File[] = [
  file({
    id: "personal.export",
    address: `GET ${EXPORT}`,
    access: signedIn,
    programs: ["user", "repository"],
    answer: (call) => {
      requireAccount(call)
      const { me, services } = call
      const head = { ...fileHeadersOf(`${me.name}.tar.gz`), type: "application/gzip" }
      return {
        tag: `"${randomUUID()}"`,
        size: undefined,
        head,
        caching: "no-store",
        async open() {
          const { exportAccount } = await import("../../../features/site/copies/export.ts")
          if (underWay.has(me.id)) throw refuse.conflict("an archive is being made already; try again when it is done")
          if (underWay.size >= MOST) throw refuse.busy("an archive is being made already; try again when it is done")
          underWay.add(me.id)
          const content = exportAccount(services, me)
          content.once("close", () => underWay.delete(me.id))
          return { ...head, content }
        },
      }
    },
  }),
]
