-- Folders of one project: recognised by where the repository was cloned from, or else by its first commit.
CREATE TABLE project_identities (
    -- The row of `projects`, which is one folder.
    id       INTEGER PRIMARY KEY,
    -- The folder that stands for the whole project.
    same_as  INTEGER NOT NULL,
    origin   TEXT,
    birth    TEXT,
    -- The name that the user gave it.
    title    TEXT,
    -- Whether the user said that it is the same project.
    by_hand  INTEGER NOT NULL DEFAULT 0,
    -- Whether another repository is in this folder now.
    replaced INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO project_identities (id, same_as) SELECT id, id FROM projects;

-- A folder may have had two repositories, one after the other.
DROP INDEX projects_by_name;
CREATE INDEX projects_by_name ON projects (name, root);

DROP VIEW observed;
CREATE VIEW observed AS
SELECT observations.*, coalesce(project_identities.title, projects.name) AS project,
    projects.root AS project_root, project_identities.origin AS project_origin
FROM observations LEFT JOIN projects ON projects.id = observations.project_id
    LEFT JOIN project_identities ON project_identities.id = observations.project_id;
