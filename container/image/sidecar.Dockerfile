# The platform's sidecar as it is. A build adds the label by which `npm start` finds the containers of its project.
ARG IMAGE
FROM $IMAGE
