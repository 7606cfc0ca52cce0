# syntax=docker/dockerfile:1

FROM node:24-slim AS explorer
WORKDIR /src/explorer
COPY explorer/.npmrc explorer/package.json explorer/package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY explorer .
RUN npm run build


FROM python:3.13-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src

# The dependencies change less often than the code: their layer comes first. The build backend stays in this stage.
RUN python -m venv /opt/build && python -m venv --without-pip /opt/vams-graph
COPY requirements/build.txt requirements/server.txt requirements/
RUN /opt/build/bin/pip install --require-hashes -r requirements/build.txt \
    && /opt/build/bin/pip --python /opt/vams-graph/bin/python install --require-hashes --compile -r requirements/server.txt

COPY pyproject.toml README.md LICENSE ./
COPY explorer explorer
COPY graph graph
COPY --from=explorer /src/graph/explorer/static graph/explorer/static
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir dist . \
    && /opt/build/bin/pip --python /opt/vams-graph/bin/python install --no-deps --no-index --compile dist/*.whl


FROM python:3.13-slim
RUN useradd --system --user-group --no-create-home vams-graph
COPY --from=build /opt/vams-graph /opt/vams-graph
ENV PATH=/opt/vams-graph/bin:$PATH PYTHONUNBUFFERED=1
USER vams-graph
EXPOSE 8000
ENTRYPOINT ["vams-graph"]
CMD ["serve"]
