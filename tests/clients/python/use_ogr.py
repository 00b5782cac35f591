"""What ogr does with a forge, by its own interface: prints a line "ok NAME" for each call that does what it says, "FAIL NAME: why" for the others.

    python use_ogr.py URL TOKEN
"""
import sys
import traceback

from ogr import ForgejoService
from ogr.abstract import AccessLevel, CommitStatus, IssueStatus, PRStatus

url, token = sys.argv[1:]
service = ForgejoService(instance_url=url, token=token)
project = service.get_project(namespace="ann", repo="tool")


def missing(call):
    """Whether the client says that something isn't there, which it reads from the body of the answer."""
    try:
        call()
    except Exception as error:
        causes = []
        while error is not None:
            causes.append(type(error).__name__)
            error = error.__cause__
        return causes[-1] == "NotFoundError" or "FileNotFoundError" in causes
    return False


def comment():
    return project.get_issue(1).comment("A comment")


def edited():
    made = comment()
    made.body = "Another"
    return project.get_issue(1).get_comment(made.id).body == "Another"


def reaction():
    made = project.get_issue(1).get_comment(comment().id)
    given = made.add_reaction("+1")
    there = len(made.get_reactions())
    given.delete()
    return there == 1 and made.get_reactions() == []


def closed():
    made = project.create_issue("To be closed", "It is")
    made.close()
    return project.get_issue(made.id).status == IssueStatus.closed


def pull():
    made = project.create_pr("A change", "Why", target_branch="main", source_branch="topic")
    made.comment("Good")
    found = project.get_pr(made.id)
    return (found.title, found.source_branch, found.status) == ("A change", "topic", PRStatus.open) and [one.id for one in project.get_pr_list()] == [made.id]


def merged():
    found = next(iter(project.get_pr_list()))
    found.merge()
    return project.get_pr(found.id).status == PRStatus.merged


def status():
    commit = project.get_sha_from_branch("main")
    project.set_commit_status(commit, CommitStatus.success, "https://ci.example.com/1", "All well", "ci")
    return [(one.context, one.state) for one in project.get_commit_statuses(commit)] == [("ci", CommitStatus.success)]


def release():
    project.create_release("v1", "One", "What is new", ref="main")
    return project.get_latest_release().tag_name == "v1" and project.get_release(tag_name="v1").title == "One"


def forked():
    fork = service.get_project(namespace="ann", repo="lent").fork_create(namespace="guild")
    return fork.exists() and fork.is_fork and fork.parent.full_repo_name == "ann/lent"


calls = {
    "user": lambda: service.user.get_username() == "ann",
    "exists": project.exists,
    "does not exist": lambda: not service.get_project(namespace="ann", repo="nothing").exists(),
    "private": lambda: not project.is_private() and service.get_project(namespace="ann", repo="vault").is_private(),
    "description": lambda: (setattr(project, "description", "A tool"), service.get_project(namespace="ann", repo="tool").description)[1] == "A tool",
    "default branch": lambda: project.default_branch == "main",
    "branches": lambda: sorted(project.get_branches()) == ["main", "topic"],
    "commits": lambda: len(list(project.get_commits("main"))) == 1,
    "owners": lambda: project.get_owners() == ["ann"],
    "file": lambda: project.get_file_content("README.md").startswith("# tool"),
    "missing file": lambda: missing(lambda: project.get_file_content("nothing.md")),
    "files": lambda: "README.md" in list(project.get_files()),
    "missing branch": lambda: project.get_sha_from_branch("nothing") is None,
    "urls": lambda: project.get_git_urls()["git"].endswith("/ann/tool.git"),
    "issue": lambda: project.create_issue("One", "A text", labels=None).id == 1,
    "issues": lambda: [one.title for one in project.get_issue_list()] == ["One"],
    "missing issue": lambda: missing(lambda: project.get_issue(99)),
    "comment": lambda: comment().body == "A comment",
    "edited comment": edited,
    "reaction": reaction,
    "closed issue": closed,
    "pull request": pull,
    "missing pull request": lambda: missing(lambda: project.get_pr(99)),
    "merged pull request": merged,
    "commit status": status,
    "no release": lambda: project.get_latest_release() is None,
    "missing release": lambda: missing(lambda: project.get_release(tag_name="v9")),
    "release": release,
    "tags": lambda: [tag.name for tag in project.get_tags()] == ["v1"],
    "commit of a tag": lambda: project.get_sha_from_tag("v1") == project.get_sha_from_branch("main"),
    "fork": forked,
    "added person": lambda: (project.add_user("ben", AccessLevel.push), project.can_merge_pr("ben"))[1],
}


for name, call in calls.items():
    try:
        done = call()
        print(f"ok {name}" if done else f"FAIL {name}: it says something else", flush=True)
    except Exception as error:
        print(f"FAIL {name}: {type(error).__name__} {str(error)[:300]!r} {traceback.format_exc().splitlines()[-3].strip()}", flush=True)
