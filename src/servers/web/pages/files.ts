import { anonymous } from "../../../core/actor.ts"
import type { Download } from "../../../core/download.ts"
import type { File } from "../../../core/file.ts"
import type { Moved } from "../../../core/page.ts"
import type { Services } from "../../../core/services.ts"
import { requireTaskGit } from "../../../core/task-token.ts"
import { queryOf } from "../../../web/address.ts"
import { sendRefusal } from "../../api/answer.ts"
import { readQuery } from "../../api/input.ts"
import { wantsPage } from "../../client/accepts.ts"
import { sendDownload } from "../../files/send.ts"
import { admitToFile } from "../../routing/admission.ts"
import { callerOf } from "../../routing/callers.ts"
import { type Caller, type Kind, routesOf } from "../../routing/pipeline.ts"
import { leadTo } from "../../routing/redirect.ts"
import { type DeclaredRoute, pathOf } from "../../routing/routes.ts"
import { sendErrorPage } from "./server.ts"

type Answering = (query: unknown) => Promise<Download | Moved>

/** The routes of files: programs come with a header, people with a session, and both get bytes. */
export function fileRoutes(services: Services, files: readonly File[]): readonly DeclaredRoute[] {
  const kind: Kind<File, Caller, Answering, unknown, Download | Moved> = {
    route: ({ id, method, address }) => ({ method, path: address, operation: id, body: "collected" }),
    who: async ({ programs }, request) => {
      const actor = programs ? await callerOf(services, request) : anonymous
      await requireTaskGit(actor, "git.fetch")
      return { actor }
    },
    admit: (file, { actor }) => admitToFile(services, file, actor),
    pathOf: ({ address }, request) => pathOf(address, request),
    read: ({ query }, request) => readQuery(query, queryOf(request.url)),
    handle: ({ opened }, query) => opened(query),
    present:
      ({ request }, answer) =>
      (reply) =>
        "kind" in answer ? leadTo(reply, answer.to, answer.status) : sendDownload(request, reply, answer),
    fail: (error, request, reply) =>
      wantsPage(request) ? sendErrorPage(services, request, reply, error) : sendRefusal(services, request, reply, error),
  }
  return routesOf(services, kind, files)
}
