import { onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { type File, file } from "../../../core/file.ts"
import { moved } from "../../../core/page.ts"
import { archiveDownload } from "../../../features/code/archives/archive.ts"
import { explicitForm, locateCode } from "../../../features/code/contents/locate.ts"
import { pathList } from "../../../features/code/contents/path-list.ts"
import { mediaFile, rawFile } from "../../../features/code/contents/raw.ts"
import { codePath, repositoryPath } from "../../../web/address.ts"

const access = onRepositoryUnitRead("code")

/**
 * Files as bytes, at the addresses that records and pages name: `raw` as they are stored, `media` with the large files that pointers stand for; and
 * archives, as tags and releases name them. `paths` is the list of all files that the script `finder` fetches.
 */
export const codeFiles: readonly File[] = [
  ...(
    [
      ["raw", rawFile],
      ["media", mediaFile],
    ] as const
  ).map(([view, fileAt]) =>
    file({
      id: `code.${view}`,
      address: `GET /{owner}/{repo}/${view}/{filepath}`,
      access,
      programs: ["repository"],
      answer: async (call) => {
        const located = await locateCode(call, call.path.filepath)
        if (!located) return moved(`${repositoryPath(call)}/${view}/${await explicitForm(call, call.path.filepath)}`, { status: 302 })
        const { revision, parts } = located
        const found = await fileAt({ services: call.services, owned: call, revision }, parts.join("/"))
        return { ...found, headers: { link: `<${codePath(call, "src", revision, parts)}>; rel="canonical"` } }
      },
    }),
  ),
  file({
    id: "code.paths",
    address: "GET /{owner}/{repo}/paths/{filepath}",
    access,
    programs: ["repository"],
    answer: async (call) => {
      const located = await locateCode(call, call.path.filepath)
      if (!located || located.parts.length > 0) throw refuse.notFound()
      return pathList(call.services, located)
    },
  }),
  file({
    id: "code.archive",
    address: "GET /{owner}/{repo}/archive/{archive}",
    access,
    programs: ["repository"],
    answer: (call) => archiveDownload(call.services, call, call.path.archive),
  }),
]
