-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- lock.action_runs
select *
from action_runs
where id = ?
-- on PostgreSQL:
select *
from action_runs
where id = ? for no key update;

-- lock.action_runs.all
select *
from action_runs
where id in ?
order by id
-- on PostgreSQL:
select *
from action_runs
where id in ?
order by id for no key update;

-- lock.action_uploads
select *
from action_uploads
where id = ?
-- on PostgreSQL:
select *
from action_uploads
where id = ? for no key update;

-- lock.action_uploads.all
select *
from action_uploads
where id in ?
order by id
-- on PostgreSQL:
select *
from action_uploads
where id in ?
order by id for no key update;

-- lock.issues
select *
from issues
where id = ?
-- on PostgreSQL:
select *
from issues
where id = ? for no key update;

-- lock.issues.all
select *
from issues
where id in ?
order by id
-- on PostgreSQL:
select *
from issues
where id in ?
order by id for no key update;

-- lock.merge_queues
select *
from merge_queues
where id = ?
-- on PostgreSQL:
select *
from merge_queues
where id = ? for no key update;

-- lock.merge_queues.all
select *
from merge_queues
where id in ?
order by id
-- on PostgreSQL:
select *
from merge_queues
where id in ?
order by id for no key update;

-- lock.milestones
select *
from milestones
where id = ?
-- on PostgreSQL:
select *
from milestones
where id = ? for no key update;

-- lock.milestones.all
select *
from milestones
where id in ?
order by id
-- on PostgreSQL:
select *
from milestones
where id in ?
order by id for no key update;

-- lock.projects
select *
from projects
where id = ?
-- on PostgreSQL:
select *
from projects
where id = ? for no key update;

-- lock.projects.all
select *
from projects
where id in ?
order by id
-- on PostgreSQL:
select *
from projects
where id in ?
order by id for no key update;

-- lock.pulls
select *
from pulls
where id = ?
-- on PostgreSQL:
select *
from pulls
where id = ? for no key update;

-- lock.pulls.all
select *
from pulls
where id in ?
order by id
-- on PostgreSQL:
select *
from pulls
where id in ?
order by id for no key update;

-- lock.releases
select *
from releases
where id = ?
-- on PostgreSQL:
select *
from releases
where id = ? for no key update;

-- lock.releases.all
select *
from releases
where id in ?
order by id
-- on PostgreSQL:
select *
from releases
where id in ?
order by id for no key update;

-- lock.repositories
select *
from repositories
where id = ?
-- on PostgreSQL:
select *
from repositories
where id = ? for no key update;

-- lock.repositories.all
select *
from repositories
where id in ?
order by id
-- on PostgreSQL:
select *
from repositories
where id in ?
order by id for no key update;

-- lock.topics
select *
from topics
where id = ?
-- on PostgreSQL:
select *
from topics
where id = ? for no key update;

-- lock.topics.all
select *
from topics
where id in ?
order by id
-- on PostgreSQL:
select *
from topics
where id in ?
order by id for no key update;

-- lock.users
select *
from users
where id = ?
-- on PostgreSQL:
select *
from users
where id = ? for no key update;

-- lock.users.all
select *
from users
where id in ?
order by id
-- on PostgreSQL:
select *
from users
where id in ?
order by id for no key update;
