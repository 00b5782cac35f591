import { parseInThread } from "../../../core/parser-thread.ts"
import { readWorkflow } from "./workflow.ts"

/** What runs in the thread that parses workflows. */
parseInThread(readWorkflow)
