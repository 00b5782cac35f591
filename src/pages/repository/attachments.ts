import { refuse } from "../../core/errors.ts"
import { type File, file } from "../../core/file.ts"
import { type Page, page, sentText } from "../../core/page.ts"
import { attachmentDownload } from "../../features/code/attachments/download.ts"
import { keepForText, markdownFor, onTextFiles } from "../../features/planning/attachments/keep.ts"
import { onAttachment } from "../../features/planning/attachments/locate.ts"

export const attachmentPages: readonly Page[] = [
  page({
    id: "attachments.keep",
    address: "POST /{owner}/{repo}/attachments",
    access: onTextFiles,
    receives: { field: "attachment", plain: false },
    answer: async (call) => {
      const { services, upload } = call
      if (!upload) throw refuse.badRequest()
      const file = await keepForText(services, call, upload)
      return sentText("application/json;charset=utf-8", JSON.stringify({ name: file.name, markdown: markdownFor(file) }))
    },
  }),
]

/** In texts, `/attachments/…` is an address in the repository of the text. */
export const attachmentFiles: readonly File[] = (["", "/{owner}/{repo}"] as const).map((before) =>
  file({
    id: before === "" ? "attachments.file" : "attachments.fileOfRepository",
    address: `GET ${before}/attachments/{uuid}`,
    access: onAttachment,
    // What a token must be allowed to read depends on what the file is attached to.
    programs: [],
    answer: ({ services, attachment }) => attachmentDownload(services, attachment),
  }),
)
